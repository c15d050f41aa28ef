/**
 * Separate process that moves the store of a home, and prints the result. Arguments: home, verb, and a text. The
 * process kills itself (SIGKILL) at the first progress report that contains the text. The variable STORE_MOVE_TO names
 * the target.
 */
import { homeOf } from '../../home/home.js';
import { checkMove } from '../../workers/engine/store-move/check-move.js';
import { readSides, refuseFixed } from '../../workers/engine/store-move/move-sides.js';
import { moveStore } from '../../workers/engine/store-move/switch-store.js';

const [root = '', verb = '', deadly = ''] = process.argv.slice(2);
const home = homeOf({ PROVISIONING_HOME: root });
const report = ({ text }: { text: string }) => {
  if (deadly && text.includes(deadly)) process.kill(process.pid, 'SIGKILL');
};
try {
  const sides = await readSides(home, process.env);
  if (verb === 'switch') await refuseFixed(sides);
  const result = verb === 'check' ? await checkMove(sides, report) : await moveStore(sides, undefined, report);
  process.stdout.write(JSON.stringify({ result }));
} catch (error) {
  const { message, details } = error as Error & { details?: unknown };
  process.stdout.write(JSON.stringify({ error: { message, ...(details as object) } }));
}
