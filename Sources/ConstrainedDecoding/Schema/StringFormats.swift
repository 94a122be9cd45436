/// The patterns behind `format`, each about the whole string.
struct StringFormat {
  /// Patterns that must all match.
  var all: [String]
  /// Patterns that must not match.
  var none: [String] = []

  /// The format of a name, nil if it is not known.
  static func named(_ name: String) -> StringFormat? {
    switch name {
    case "date": StringFormat(all: [date])
    case "time": StringFormat(all: [time])
    case "date-time": StringFormat(all: ["(?:\(date))[Tt](?:\(time))"])
    case "duration": StringFormat(all: [duration])
    case "email": StringFormat(all: [email])
    case "hostname": StringFormat(all: [hostname, "[\\s\\S]{1,253}"], none: [reservedLabel])
    case "ipv4": StringFormat(all: [ipv4])
    case "ipv6": StringFormat(all: [ipv6])
    case "uuid": StringFormat(all: [uuid])
    case "uri": StringFormat(all: [uri])
    case "uri-reference": StringFormat(all: ["(?:\(uri))|(?:\(relativeReference))"])
    case "json-pointer": StringFormat(all: [jsonPointer])
    case "relative-json-pointer":
      StringFormat(all: ["(?:0|[1-9][0-9]{0,15})(?:#|\(jsonPointer))"])
    default: nil
    }
  }

  private static let uuid =
    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

  // RFC 3339, 5.6 and appendix C. The year 0000 is a leap year.
  private static let leapYear =
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
  private static let date =
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    + "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|\(leapYear)-02-29)"

  private static let offset = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
  /// A leap second is the last one of a day in UTC; only offsets of zero keep that in sight.
  private static let time =
    "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?\(offset)"
    + "|23:59:60(?:\\.[0-9]{1,9})?(?:[Zz]|[+-]00:00))"

  // RFC 3339, appendix A: units are written from the largest down, without gaps.
  private static let duration: String = {
    let number = "[0-9]{1,9}"
    let second = "\(number)S"
    let minute = "\(number)M(?:\(second))?"
    let hour = "\(number)H(?:\(minute))?"
    let time = "T(?:\(hour)|\(minute)|\(second))"
    let day = "\(number)D"
    let month = "\(number)M(?:\(day))?"
    let year = "\(number)Y(?:\(month))?"
    return "P(?:(?:\(day)|\(month)|\(year))(?:\(time))?|\(time)|\(number)W)"
  }()

  // RFC 5321: a dotted local part and a domain of labels, without their limits of length.
  private static let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
  private static let mailLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
  private static let email = "\(atom)(?:\\.\(atom))*@\(mailLabel)(?:\\.\(mailLabel))*"

  // RFC 1123, 2.1. Labels with hyphens in places three and four are reserved for encoded names
  // (RFC 5891), whose validity is not a regular property: they are left out.
  private static let label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
  private static let hostname = "\(label)(?:\\.\(label))*"
  private static let reservedLabel = "(?:[\\s\\S]*\\.)?[^.]{2}--[\\s\\S]*"

  private static let octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
  private static let ipv4 = "(?:\(octet)\\.){3}\(octet)"

  // RFC 4291, 2.2.
  private static let ipv6: String = {
    let group = "[0-9A-Fa-f]{1,4}"
    let last = "(?:\(group):\(group)|\(ipv4))"
    var forms = ["(?:\(group):){6}\(last)"]
    // `::` in the place of one or more groups: `before` groups stand in front of it.
    for after in 0...5 {
      let most = 5 - after
      let head = most == 0 ? "(?:\(group))?" : "(?:(?:\(group):){0,\(most)}\(group))?"
      forms.append("\(head)::(?:\(group):){\(after)}\(last)")
    }
    forms.append("(?:(?:\(group):){0,5}\(group))?::\(group)")
    forms.append("(?:(?:\(group):){0,6}\(group))?::")
    return forms.map { "(?:\($0))" }.joined(separator: "|")
  }()

  // RFC 3986, appendix A.
  private static let encoded = "%[0-9A-Fa-f]{2}"
  private static let unreserved = "A-Za-z0-9._~\\-"
  private static let delimiters = "!$&'()*+,;="
  private static let pathCharacter = "(?:[\(unreserved)\(delimiters):@]|\(encoded))"
  private static let query = "(?:[\(unreserved)\(delimiters):@/?]|\(encoded))*"
  private static let authority =
    "(?:(?:[\(unreserved)\(delimiters):]|\(encoded))*@)?"
    + "(?:\\[(?:\(ipv6)|[vV][0-9A-Fa-f]+\\.[\(unreserved)\(delimiters):]+)\\]"
    + "|(?:[\(unreserved)\(delimiters)]|\(encoded))*)(?::[0-9]*)?"
  private static let pathAfterAuthority = "(?:/\(pathCharacter)*)*"
  private static let absolutePath = "/(?:\(pathCharacter)+(?:/\(pathCharacter)*)*)?"
  private static let rootlessPath = "\(pathCharacter)+(?:/\(pathCharacter)*)*"
  private static let tail = "(?:\\?\(query))?(?:#\(query))?"
  private static let uri =
    "[A-Za-z][A-Za-z0-9+.-]*:(?://\(authority)\(pathAfterAuthority)|\(absolutePath)"
    + "|\(rootlessPath))?\(tail)"
  private static let relativeReference: String = {
    let noColon = "(?:[\(unreserved)\(delimiters)@]|\(encoded))+"
    return "(?://\(authority)\(pathAfterAuthority)|\(absolutePath)"
      + "|\(noColon)(?:/\(pathCharacter)*)*)?\(tail)"
  }()

  private static let jsonPointer = "(?:/(?:[^~/]|~[01])*)*"
}
