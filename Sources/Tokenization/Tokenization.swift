// Tokenization
