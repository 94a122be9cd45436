import Foundation

/// Where templates get the date from; tests and servers can hand in a fixed one.
package struct TemplateClock: Sendable {
  let now: @Sendable () -> CivilTime

  package init(_ now: @escaping @Sendable () -> CivilTime) {
    self.now = now
  }

  /// The time of this machine in its time zone.
  package static let system = TemplateClock {
    let parts = Calendar(identifier: .gregorian).dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .nanosecond], from: Date())
    return CivilTime(
      year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1,
      hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: parts.second ?? 0,
      microsecond: (parts.nanosecond ?? 0) / 1000) ?? .epoch
  }

  /// Always the same time.
  package static func fixed(_ time: CivilTime) -> TemplateClock { TemplateClock { time } }
}

/// A date and a time of day without a time zone.
package struct CivilTime: Sendable, Equatable {
  let year, month, day, hour, minute, second, microsecond: Int

  static let epoch = CivilTime(
    unchecked: (1970, 1, 1, 0, 0, 0, 0))

  private init(unchecked parts: (Int, Int, Int, Int, Int, Int, Int)) {
    (year, month, day, hour, minute, second, microsecond) = parts
  }

  /// Nil where a part is out of its range; years go from 1 to 9999.
  package init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    microsecond: Int = 0
  ) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second), (0...999_999).contains(microsecond)
    else { return nil }
    self.init(unchecked: (year, month, day, hour, minute, second, microsecond))
  }

  /// Reads `2026-01-15`, `2026-01-15T09:30` or `2026-01-15 09:30:00`, nil for anything else.
  package init?(iso8601 text: String) {
    let parts = text.split(separator: /[T ]/, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count) else { return nil }
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    let clock =
      parts.count == 2
      ? parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      : [0, 0, 0]
    guard date.count == 3, (2...3).contains(clock.count), let year = date[0], let month = date[1],
      let day = date[2], let hour = clock[0], let minute = clock[1],
      let second = clock.count == 3 ? clock[2] : 0
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// The day of the year, 1 for the first of January.
  private var yearDay: Int {
    (1..<month).reduce(day) { $0 + Self.days(inMonth: $1, of: year) }
  }

  /// The day of the week, 0 for Sunday.
  private var weekday: Int {
    let before = year - 1
    return (before * 365 + before / 4 - before / 100 + before / 400 + yearDay) % 7
  }

  /// The week of ISO 8601 and the year it belongs to.
  private var isoWeek: (year: Int, week: Int) {
    let fromMonday = (weekday + 6) % 7
    let week = (yearDay - fromMonday + 9) / 7
    if week < 1 { return (year - 1, Self.isoWeeks(in: year - 1)) }
    return week > Self.isoWeeks(in: year) ? (year + 1, 1) : (year, week)
  }

  private static func isoWeeks(in year: Int) -> Int {
    guard let last = CivilTime(year: max(year, 1), month: 12, day: 31) else { return 52 }
    let isLeap = last.yearDay == 366
    return last.weekday == 4 || (isLeap && last.weekday == 5) ? 53 : 52
  }

  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// The time by a format of `strftime`, in English; what is no directive stays as it is.
  package func formatted(_ format: String) -> String {
    var result = ""
    var rest = format.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "%" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      var flag: Unicode.Scalar?
      if let next = rest.first, ["-", "_", "0", "^"].contains(next) { flag = rest.popFirst() }
      guard let letter = rest.popFirst() else {
        result += "%" + (flag.map { String($0) } ?? "")
        break
      }
      result += directive(letter, flag) ?? "%\(flag.map { String($0) } ?? "")\(letter)"
    }
    return result
  }

  private func directive(_ letter: Unicode.Scalar, _ flag: Unicode.Scalar?) -> String? {
    if let (number, width, fill) = numericField(letter) {
      let fill: Character? = flag == "-" ? nil : flag == "_" ? " " : flag == "0" ? "0" : fill
      let digits = String(number)
      return fill.map { String(repeating: $0, count: max(width - digits.count, 0)) + digits }
        ?? digits
    }
    let text: String? =
      switch letter {
      case "a": String(Self.weekdays[weekday].prefix(3))
      case "A": Self.weekdays[weekday]
      case "b", "h": String(Self.months[month - 1].prefix(3))
      case "B": Self.months[month - 1]
      case "p": hour < 12 ? "AM" : "PM"
      case "P": hour < 12 ? "am" : "pm"
      case "c": formatted("%a %b %e %H:%M:%S %Y")
      case "D", "x": formatted("%m/%d/%y")
      case "F": formatted("%Y-%m-%d")
      case "r": formatted("%I:%M:%S %p")
      case "R": formatted("%H:%M")
      case "T", "X": formatted("%H:%M:%S")
      case "n": "\n"
      case "t": "\t"
      case "z", "Z": ""
      case "%": "%"
      default: nil
      }
    return flag == "^" ? text?.uppercased() : text
  }

  /// Number, width and what fills it up.
  private func numericField(_ letter: Unicode.Scalar) -> (Int, Int, Character)? {
    let twelve = hour % 12 == 0 ? 12 : hour % 12
    return switch letter {
    case "Y": (year, 1, "0")
    case "C": (year / 100, 2, "0")
    case "y": (year % 100, 2, "0")
    case "G": (isoWeek.year, 1, "0")
    case "g": (isoWeek.year % 100, 2, "0")
    case "m": (month, 2, "0")
    case "d": (day, 2, "0")
    case "e": (day, 2, " ")
    case "H": (hour, 2, "0")
    case "k": (hour, 2, " ")
    case "I": (twelve, 2, "0")
    case "l": (twelve, 2, " ")
    case "M": (minute, 2, "0")
    case "S": (second, 2, "0")
    case "f": (microsecond, 6, "0")
    case "j": (yearDay, 3, "0")
    case "u": (weekday == 0 ? 7 : weekday, 1, "0")
    case "w": (weekday, 1, "0")
    case "U": ((yearDay + 6 - weekday) / 7, 2, "0")
    case "W": ((yearDay + 6 - (weekday + 6) % 7) / 7, 2, "0")
    case "V": (isoWeek.week, 2, "0")
    default: nil
    }
  }
}
