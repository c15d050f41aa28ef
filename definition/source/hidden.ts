import { findHiddenCharacter } from '../../core/text.js';

/** Something wrong with a text, from an offset on. */
export interface TextFault {
  offset: number;
  message: string;
}

/** Finds a character that hides or reorders a text, also in comments. Line ends of Windows are allowed. */
export function findHiddenFault(text: string): TextFault | undefined {
  const plain = text.includes('\r') ? text.replaceAll('\r\n', ' \n') : text;
  const character = findHiddenCharacter(plain);
  if (!character) return undefined;
  const offset = plain.indexOf(String.fromCharCode(Number.parseInt(character.slice(2), 16)));
  return { offset, message: describeHiddenCharacter(character) };
}

/** @param character as `U+001B` */
export const describeHiddenCharacter = (character: string): string =>
  `the character ${character} does not belong in a definition: take it out, in a page of HTML write &#x${character.slice(2)};`;

/** Line and column of an offset, both counted from 1. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
