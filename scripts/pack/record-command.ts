/** `record-command.ts PACK OUT PROGRAM ARGUMENTS…`: runs the command line of a pack, and writes its compiled code. */
import type { Script } from 'node:vm';
import { isLate, openPack, runPack } from '../../cli/start/pack.js';
import { codesIn, codesOf, recordCode } from './record-code.js';

const [node = '', , path = '', out = '', program = '', ...args] = process.argv;
const pack = openPack(path);
if (!pack) throw new Error(`there is no ${path}`);
process.argv = [node, program, ...args];
let scripts: ReadonlyMap<string, Script> = new Map();
process.on('exit', () => recordCode(out, codesIn(codesOf(scripts))));
scripts = runPack(pack, program, { late: isLate });
