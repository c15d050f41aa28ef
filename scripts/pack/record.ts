/** `record.ts PACK PROGRAM OUT ARGUMENTS…`: runs the command line of a pack, and writes the code that V8 compiled. */
import { writeFileSync } from 'node:fs';
import type { Script } from 'node:vm';
import { openPack, runPack } from '../../cli/start/pack.js';

const [node = '', , path = '', program = '', out = '', ...args] = process.argv;
const pack = openPack(path);
if (!pack) throw new Error(`there is no ${path}`);
process.argv = [node, program, ...args];
let scripts: ReadonlyMap<string, Script> = new Map();
process.on('exit', () => {
  const codes = [...scripts].map(([name, script]) => [name, script.createCachedData()] as const);
  const sizes = JSON.stringify(codes.map(([name, code]) => [name, code.length]));
  writeFileSync(out, Buffer.concat([Buffer.from(`${sizes}\n`), ...codes.map(([, code]) => code)]));
});
scripts = runPack(pack, program);
