import { askSecrets } from '../../../client/ask-secrets.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { findNamedPlace, refuseGenerated } from '../../shared/secrets/secret-place.js';
import { promptSecret } from '../../shared/secrets/typed-secret.js';

export const command = defineCommand({
  arguments: [['<name>', 'name in definitions: { secret: NAME }']],
  options: SECRET_SCOPE,
  details:
    'Sets the secret for the whole workspace, unless an option says otherwise. A definition uses the secret of its infra first, then the secret of its\nworkspace, then the shared secret.\nThe value is prompted for without being shown, or read from standard input without a final line break. It is never an argument, because arguments are visible to other users.\nEarlier values are kept: `secret history` lists them, `secret rollback` restores one.',
  examples: ['secret set redis-password', 'secret set redis-password --infra shop', 'secret set tls-key < key.pem'],
  async run(session, { args: [name = ''], flags }) {
    const named = await findNamedPlace(session, name, flags);
    refuseGenerated(named, 'set');
    const { place, scope } = named;
    const value = await promptSecret(session, name, 'set');
    await askSecrets(session, (secrets) => secrets.set({ ...place, value }));
    if (session.json) writeDocument(session, { secret: name, set: true, scope });
    else session.out.write(`set: ${name} (${scope})\n`);
    return 0;
  },
});
