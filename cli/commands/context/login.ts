import { connectServer } from '../../../client/http/connect-server.js';
import { type ChosenContext, checkToken, chooseContext } from '../../../client/http/connection.js';
import { redeemCode } from '../../../client/http/redeem-code.js';
import { inputError } from '../../../core/errors.js';
import { keepToken, listContexts } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { readAll } from '../../shared/secrets/typed-secret.js';

export const command = defineCommand({
  options: [
    { flags: '--token <text>', about: '`-` reads the token from standard input; the default is a prompt' },
    { flags: '--code', about: 'exchange the code for the first administrator, which the server prints, for a token' },
  ],
  details:
    'Checks the token at the server of the active context and keeps it in a file that only you can read. A token is never an argument, since other users of the machine see arguments. An administrator makes tokens with `provisioning token create`. A server without an administrator prints a code at its start: with --code you type it, or pipe it in, and become the first administrator.',
  examples: ['login --context prod', 'login --context prod --token - < token', 'login --context prod --code'],
  async run(session, { flags: { token: from, code } }) {
    if (from !== undefined && from !== '-') throw asArgument();
    if (from !== undefined && code) throw tokenAndCode();
    const { name, url, ca } = requireContext(session);
    const server = { url, ...(ca !== undefined && { ca }) };
    const typed = await readSecret(session, name, { what: code ? 'code' : 'token', fromInput: from === '-' });
    const token = code ? await redeemCode(server, typed) : checkToken(typed, 'standard input');
    // The code is used up: its token is kept even if the server does not answer again.
    if (code) keepToken(session.home, name, token);
    const client = connectServer({ ...server, token });
    const identity = await client.identity.get({}).finally(() => client.close());
    keepToken(session.home, name, token);
    if (session.json) writeDocument(session, { context: name, server: url, ...identity });
    else session.out.write(`logged in to ${url} as ${identity.account ?? identity.actor}\n`);
    return 0;
  },
});

async function readSecret(
  session: Session,
  name: string,
  { what, fromInput }: { what: 'code' | 'token'; fromInput: boolean },
): Promise<string> {
  const title = `${what === 'code' ? 'Code' : 'Token'} for ${name}`;
  const typed = session.stdin.isTTY && !fromInput ? await session.hidden(title) : await readAll(session.stdin);
  if (typed.trim() !== '') return typed.trim();
  throw inputError({ code: 'no-value', what: 'log in', on: name, why: `no ${what} was given`, hint: 'type it, or pipe it in' });
}

/**
 * Returns the context of a login. Its name is required, because the token is stored under it.
 *
 * @throws inputError `unknown-context`
 */
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

const tokenAndCode = () =>
  inputError({
    code: 'bad-arguments',
    what: 'log in',
    on: '--code',
    why: 'a code is exchanged for a token, so --token has no place beside it',
    hint: 'provisioning login --code, or provisioning login --token - < FILE',
  });

const asArgument = () =>
  inputError({
    code: 'bad-arguments',
    what: 'read the token',
    on: '--token',
    why: 'a token in an argument can be seen by all users of the machine',
    hint: 'provisioning login --token - < FILE',
  });
