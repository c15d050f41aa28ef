import { chooseNamedInfra } from '../../authoring/request/which-infra.js';
import { ProvisioningError } from '../../core/errors.js';
import { defineCommand, OPERATION, PLAN_OUT } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { reportDeclined } from '../shared/declined.js';
import { needsYes } from '../shared/needs-yes.js';
import { operate } from '../shared/operate.js';
import { deleteInfraSecrets, listInfraSecrets } from '../shared/secrets/left-secrets.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [
    ...OPERATION,
    PLAN_OUT,
    {
      flags: '--secrets',
      about: 'also delete the secrets of the infra, including generated ones; a roll-back cannot restore them',
    },
  ],
  details:
    'Deletes the servers, volumes and networks; existing machines (`host:`) are cleaned instead. Fails for protected resources.\nThe secrets of the infra stay unless you pass --secrets.',
  examples: [
    'delete quickstart',
    'delete quickstart --check',
    'delete quickstart --yes --secrets',
    'cluster delete quickstart --yes',
  ],
  async run(session, { args: [name = ''], flags }) {
    if (flags.secrets && (await isDeleted(session, flags, name))) return secretsAlone(session, flags, name);
    const infra = await chooseNamedInfra(session, flags, name);
    const code = await operate(session, flags, { kind: 'cluster', infra, intent: { verb: 'delete' }, destroysByName: true });
    const isOver = !flags.check && flags.planOut === undefined && flags.wait !== false && !flags.queue;
    if (code !== 0 || !isOver) return code;
    const secrets = await (flags.secrets ? deleteInfraSecrets : listInfraSecrets)(session, infra);
    if (secrets.length === 0) return code;
    // With --json, standard output has only the document of the operation.
    const out = session.json ? session.err : session.out;
    out.write(
      flags.secrets
        ? `deleted: ${counted(secrets)} of ${infra}\n`
        : `note: left in place: ${counted(secrets)} of ${infra}; to delete: provisioning delete ${infra} --secrets\n`,
    );
    return code;
  },
});

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? '1 secret' : `${length} secrets`);

/** Returns whether no infra with this name exists, but secrets of it do. */
async function isDeleted(session: Session, flags: { queue?: boolean }, infra: string): Promise<boolean> {
  const unknown = await chooseNamedInfra(session, flags, infra).then(
    () => false,
    (error: unknown) => error instanceof ProvisioningError && error.details.code === 'unknown-infra',
  );
  return unknown && (await listInfraSecrets(session, infra)).length > 0;
}

/** Deletes the secrets of an infra that was deleted before. With `--check`, only lists them. */
async function secretsAlone(session: Session, { yes, check }: { yes?: boolean; check?: boolean }, infra: string): Promise<number> {
  const found = await listInfraSecrets(session, infra);
  const names = found.map(({ name }) => name);
  if (!yes && !check) {
    needsYes(session, 'delete the secrets', infra, '--check to only look');
    session.out.write(`${names.join('\n')}\n`);
    if (!(await session.confirm(`Delete ${counted(found)} of ${infra}?`))) return reportDeclined(session);
  }
  if (!check) await deleteInfraSecrets(session, infra);
  if (session.json) writeDocument(session, { infra, secrets: names, deleted: !check });
  else session.out.write(check ? `${names.join('\n')}\n` : `deleted: ${counted(found)} of ${infra}\n`);
  return 0;
}
