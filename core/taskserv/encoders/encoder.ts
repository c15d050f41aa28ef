/** Writes a value into a format so that the program that reads the format gets exactly this value. */
export interface Encoder {
  /** Why the format cannot have this value, without any part of it; undefined if it can. */
  refuses(value: string): string | undefined;
  /** The value as it stands in the file, with the quotes around it. */
  write(value: string): string;
}

export const refuseNul = (value: string): string | undefined => (value.includes('\0') ? 'it has a NUL' : undefined);

/** Code points that are no characters: systemd takes text with one in it for no text. */
export const NONCHARACTER = /\p{Noncharacter_Code_Point}/u;

const bytesOf = (value: string): number => new TextEncoder().encode(value).length;

/** Whether a value has more bytes than this in UTF-8. */
export const isLonger = (value: string, bytes: number): boolean => value.length > bytes || bytesOf(value) > bytes;

/** The kernel takes 128 KiB for a variable with its name. */
const MOST_VARIABLE = 130_000;

/** Why no program can get a value by its environment. */
export function refuseVariable(value: string): string | undefined {
  if (isLonger(value, MOST_VARIABLE)) return 'it is longer than 130,000 bytes, and a variable cannot be';
  return refuseNul(value);
}

/** The UTF-16 unit of a sign in hexadecimal. */
export const hex = (sign: string, digits: number): string => sign.charCodeAt(0).toString(16).padStart(digits, '0');
