import { connectServer } from '../../../client/http/connect-server.js';
import { type ChosenContext, checkToken, chooseContext } from '../../../client/http/connection.js';
import { inputError } from '../../../core/errors.js';
import { keepToken, listContexts } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { readAll } from '../../shared/secrets/typed-secret.js';

export const command = defineCommand({
  options: [{ flags: '--token <text>', about: '`-` reads the token from standard input; the default is a prompt' }],
  details:
    'Checks the token at the server of the active context and keeps it in a file that only you can read. A token is never an argument, since other users of the machine see arguments. An administrator makes tokens with `provisioning token create`.',
  examples: ['login --context prod', 'login --context prod --token - < token'],
  async run(session, { flags: { token: from } }) {
    if (from !== undefined && from !== '-') throw asArgument();
    const { name, url, ca } = requireContext(session);
    const token = checkToken(await readToken(session, name, from === '-'), 'standard input');
    const client = connectServer({ url, token, ...(ca !== undefined && { ca }) });
    const identity = await client.identity.get({}).finally(() => client.close());
    keepToken(session.home, name, token);
    if (session.json) writeDocument(session, { context: name, server: url, ...identity });
    else session.out.write(`logged in to ${url} as ${identity.account ?? identity.actor}\n`);
    return 0;
  },
});

async function readToken(session: Session, name: string, fromInput: boolean): Promise<string> {
  const typed = session.stdin.isTTY && !fromInput ? await session.hidden(`Token for ${name}`) : await readAll(session.stdin);
  if (typed.trim() !== '') return typed.trim();
  throw inputError({ code: 'no-value', what: 'log in', on: name, why: 'no token was given', hint: 'type it, or pipe it in' });
}

/** The context that a login is for: it has a name, under which the token is kept. @throws inputError `unknown-context` */
export function requireContext(session: Session): ChosenContext & { name: string } {
  const chosen = chooseContext(session);
  if (chosen?.name !== undefined) return { ...chosen, name: chosen.name };
  const known = listContexts(session.home);
  throw inputError({
    code: 'unknown-context',
    what: 'find the context',
    why: chosen ? 'PROVISIONING_SERVER names a server without a context' : 'no context is active',
    hint:
      known.length === 0
        ? 'provisioning context add NAME --server https://…'
        : `--context NAME, or provisioning context use NAME: ${known.join(', ')}`,
  });
}

const asArgument = () =>
  inputError({
    code: 'bad-arguments',
    what: 'read the token',
    on: '--token',
    why: 'a token in an argument can be seen by all users of the machine',
    hint: 'provisioning login --token - < FILE',
  });
