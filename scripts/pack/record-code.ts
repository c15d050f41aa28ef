import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Script } from 'node:vm';

/** V8's compiled code of a script, by the name of its chunk. */
export type Code = readonly [name: string, code: Buffer];

/** Returns the code that V8 compiled so far: a line of names and sizes, then the code of all scripts. */
export const codesOf = (scripts: ReadonlyMap<string, Script>): Buffer =>
  formatCodes([...scripts].map(([name, script]) => [name, script.createCachedData()]));

/** Writes the code of scripts to a file. */
export const recordCode = (out: string, codes: readonly Code[]): void => writeFileSync(out, formatCodes(codes));

function formatCodes(codes: readonly Code[]): Buffer {
  const sizes = JSON.stringify(codes.map(([name, code]) => [name, code.length]));
  return Buffer.concat([Buffer.from(`${sizes}\n`), ...codes.map(([, code]) => code)]);
}

/** Parses what `codesOf` returned. @throws Error if it is not complete */
export function codesIn(bytes: Buffer): Code[] {
  const end = bytes.indexOf('\n');
  const sizes = JSON.parse(bytes.toString('utf8', 0, Math.max(end, 0))) as [string, number][];
  let at = end + 1;
  const whole = sizes.reduce((sum, [, size]) => sum + size, at);
  if (whole !== bytes.length) throw new Error(`the compiled code has ${bytes.length} bytes instead of ${whole}`);
  return sizes.map(([name, size]) => {
    at += size;
    return [basename(name), bytes.subarray(at - size, at)];
  });
}
