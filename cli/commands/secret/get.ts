import { askSecrets, type SecretMethods } from '../../../client/ask-secrets.js';
import { environmentKey } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { stepTitle } from '../../shared/secrets/authority-step.js';
import { OFFLINE } from '../../shared/secrets/offline.js';
import { findNamedPlace, type NamedPlace } from '../../shared/secrets/secret-place.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret, as `secret list` shows it, also of a generated one']],
  options: [...SECRET_SCOPE, { flags: '--reveal', about: 'print only the value and a line break' }, OFFLINE],
  details:
    'Without --reveal the command shows only that the secret exists and its scope, never the value. With --reveal a pipe or a file gets the exact bytes; a terminal gets control characters in visible form. Add `/certificate` to the name of an authority, or `/public` to the name of an SSH key, to get its public part. During a rotation of an authority this is both certificates, the older one first; without --reveal the command shows the step.\nThe worker reads the value. In an emergency, --offline reads it without a worker; `secret access` lists this too.',
  examples: [
    'secret get redis-password',
    'secret get redis-password --infra shop --reveal',
    'secret get tls-key --reveal > key.pem',
    'secret get generated/default/shop/ca/internal/certificate --reveal > authority.pem',
  ],
  async run(session, { args: [name], flags }) {
    const named = await findNamedPlace(session, name, flags);
    const { offline, reveal } = flags;
    const variable = variableOf(session, named);
    const ask = (secrets: SecretMethods) =>
      askKnown(session, secrets, { command: 'get', verb: 'get', ...named }, () =>
        secrets.get({ ...named.place, ...(reveal && { reveal }) }),
      );
    const found = variable === undefined ? await askSecrets(session, ask, { offline }) : { value: session.env[variable] };
    const scope = variable === undefined ? named.scope : `environment ${variable}`;
    const value = reveal ? found.value : undefined;
    const step = 'step' in found ? found.step : undefined;
    if (session.json)
      writeDocument(session, { secret: name, set: true, scope, ...(step && { step }), ...(value === undefined ? {} : { value }) });
    else if (value !== undefined) session.out.data(`${value}\n`);
    else session.out.write(`set: ${name} (${scope})\n${step ? `rotation: ${stepTitle(step)}\n` : ''}`);
    return 0;
  },
});

/** Returns this environment's variable for the secret. It takes precedence over shared secrets, as in a worker. */
function variableOf({ env, workspace }: Session, { place: { name }, scope }: NamedPlace): string | undefined {
  const isOwn = scope === 'generated' ? name.split('/')[1] === workspace : scope === 'shared' || scope === 'account';
  const variable = environmentKey(name);
  return isOwn && env[variable] !== undefined ? variable : undefined;
}
