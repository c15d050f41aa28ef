/**
 * Runs Temporal on PostgreSQL as a team does, for experiments, until Ctrl-C. Run by `npm run team-engine`. Prints the
 * settings of a worker for it.
 */
import { once } from 'node:events';
import { startTeamEngine } from './team-engine.js';

let last = '';
const engine = await startTeamEngine(({ text }) => {
  if (text.slice(0, 12) !== last) console.error(text);
  last = text.slice(0, 12);
});
for (const [name, value] of Object.entries(engine.settings)) console.log(`export ${name}=${value}`);
console.log(`export PROVISIONING_STORE='${engine.store.url.replaceAll("'", '%27')}'`);
console.log('export PROVISIONING_ENCRYPTION_KEY="$(openssl rand -base64 32)"   # the same for all of the team');
const stayAwake = setInterval(() => {}, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(stayAwake);
await engine.stop();
