internal import Foundation
package import Tokenization

/// The logarithm of the probability that logits give to one token.
///
/// - Parameters:
///   - token: an id of the vocabulary.
///   - logits: one for each token of the vocabulary.
/// - Returns: a number of at most 0.
/// - Complexity: O(vocabulary).
package func logProbability(of token: TokenID, in logits: Span<Float>) -> Double {
  var largest = -Float.infinity
  for index in logits.indices { largest = max(largest, logits[index]) }
  var sum = 0.0
  for index in logits.indices { sum += Double(exp(logits[index] - largest)) }
  return Double(logits[Int(token)] - largest) - log(sum)
}
