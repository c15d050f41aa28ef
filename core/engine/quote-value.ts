/**
 * Writes a text as a value in a query of Temporal's lists, in quotes. Temporal's parser ends a text at a quote, unless
 * another one follows, and takes the character after a backslash as it is.
 */
export const quoteValue = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
