// Hearth
