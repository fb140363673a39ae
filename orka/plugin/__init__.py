"""Discovery and registry: built-ins come in through the same door as strangers."""
