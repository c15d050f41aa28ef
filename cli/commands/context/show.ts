import { type ChosenContext, chooseContext } from '../../../client/http/connection.js';
import { readToken } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';

/** Origin of the choice, as written in a document. */
const BY: Readonly<Record<'option' | 'socket' | 'default' | ChosenContext['by'], string>> = {
  option: '--context',
  variable: 'PROVISIONING_CONTEXT',
  'server-variable': 'PROVISIONING_SERVER',
  socket: 'PROVISIONING_SOCKET',
  current: 'provisioning context use',
  default: 'no context is chosen',
};

const hasLogin = ({ home, env }: Session, { name, tokenBy }: ChosenContext): boolean =>
  tokenBy === 'login' && name !== undefined ? readToken(home, name) !== undefined : Boolean(env.PROVISIONING_TOKEN);

export const command = defineCommand({
  details:
    'Shows what commands ask here, and which source decided: `--context`, PROVISIONING_CONTEXT, PROVISIONING_SERVER, PROVISIONING_SOCKET, then `provisioning context use`. Files of a workspace have no say in it.',
  examples: ['context show', 'context show --context prod --json'],
  async run(session, { flags }) {
    const chosen = chooseContext(session);
    const by = flags.context !== undefined ? 'option' : (chosen?.by ?? whichHere(session));
    if (!chosen) {
      if (session.json) writeDocument(session, { context: 'local', by });
      else
        session.out.write(
          `${columns([
            ['context', HERE[by] ?? 'local: the engine of this machine'],
            ['chosen by', BY[by]],
          ]).join('\n')}\n`,
        );
      return 0;
    }
    const { name, url, workspace, ca, tokenBy } = chosen;
    const login = hasLogin(session, chosen);
    if (session.json) {
      const trusts = ca === undefined ? 'system' : 'own';
      writeDocument(session, { ...{ context: name, by, server: url, workspace, trusts }, token: { by: tokenBy, present: login } });
      return 0;
    }
    const rows = [
      ['context', name ?? 'none: the server is named by a variable'],
      ['chosen by', BY[by]],
      ['server', url],
      ['trusts', ca === undefined ? 'the authorities that Node trusts' : 'the authority of the context alone'],
      ['workspace', workspace ?? 'none: see provisioning workspace show'],
      ['token', `${login ? '' : 'none '}by ${tokenBy === 'login' ? 'provisioning login' : tokenBy}`],
    ];
    session.out.write(`${columns(rows).join('\n')}\n`);
    return 0;
  },
});

const HERE: Partial<Record<keyof typeof BY, string>> = { socket: 'local: the worker of another home on this machine' };

/** Returns the reason why no server is used. */
function whichHere({ env }: Session): 'variable' | 'socket' | 'default' {
  if (env.PROVISIONING_CONTEXT) return 'variable';
  return env.PROVISIONING_SOCKET ? 'socket' : 'default';
}
