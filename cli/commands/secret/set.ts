import { withSecrets } from '../../../app/definition/definitions.js';
import { chooseScope } from '../../../app/secrets/secret-scope.js';
import { inputError } from '../../../core/errors.js';
import { checkSecretName } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import type { Session } from '../../session.js';

export const command = defineCommand({
  arguments: [['<name>', 'what definitions call it: { secret: NAME }']],
  options: SECRET_SCOPE,
  details:
    'Sets it for the whole workspace, unless an option says otherwise. A definition uses the secret of its infra first, then that of its\nworkspace, then the shared one.\nThe value is prompted for without being shown, or read from standard input (a final line break is dropped). It is never an argument, which others could see.',
  examples: ['secret set redis-password', 'secret set redis-password --infra shop', 'secret set tls-key < key.pem'],
  async run(session, { args: [name = ''], flags }) {
    checkSecretName(name);
    const value = await valueFrom(session, name);
    const scope = await withSecrets(session, async (store) => {
      const chosen = await chooseScope(session, store, name, flags);
      await chosen.secrets.set(name, value);
      return chosen.scope;
    });
    if (session.json) writeDocument(session, { secret: name, set: true, scope });
    else session.out.write(`set: ${name} (${scope})\n`);
    return 0;
  },
});

async function valueFrom(session: Session, name: string): Promise<string> {
  const typed = session.stdin.isTTY ? await session.hidden(`Value of ${name}`) : await readAll(session.stdin);
  if (typed) return typed;
  throw inputError({
    code: 'no-value',
    what: 'set the secret',
    on: name,
    why: 'no value was given',
    hint: 'type it, or pipe it in',
  });
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
