/** All that JSON writes as one byte: the first half ends a number, the second is followed by more of it. */
const ALPHABET = [...Array(95).keys()]
  .map((index) => String.fromCharCode(32 + index))
  .filter((char) => char !== '"' && char !== '\\');
const ENDING = 46;
const GOING_ON = ALPHABET.length - ENDING;
const VALUES = new Map(ALPHABET.map((char, value) => [char.charCodeAt(0), value]));

/** A whole number from 0 on in as few characters as may be, its end known from itself. */
export function writeDigits(number: number): string {
  let rest = number;
  let text = '';
  while (rest >= ENDING) {
    text += ALPHABET[ENDING + (rest % GOING_ON)];
    rest = Math.floor(rest / GOING_ON);
  }
  return text + ALPHABET[rest];
}

/** Reads one number after the other; `isLast` tells that there is only one more. */
export function readDigits(text: string): { (): number; isLast(): boolean } {
  let at = 0;
  const valueAt = (position: number) => VALUES.get(text.charCodeAt(position)) ?? 0;
  const next = () => {
    let number = 0;
    for (let weight = 1; ; weight *= GOING_ON) {
      const value = valueAt(at++);
      if (value < ENDING || at > text.length) return number + weight * value;
      number += weight * (value - ENDING);
    }
  };
  const isLast = () => {
    let position = at;
    while (valueAt(position) >= ENDING) position++;
    return position >= text.length - 1;
  };
  return Object.assign(next, { isLast });
}
