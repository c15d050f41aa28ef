import { quote } from '../../../core/host/shell.js';
import { parseGeneratedName } from '../../../core/taskserv/generated-names.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import type { RemovePlan } from '../../../members/remove-member.js';

/** Manual task, with its command if there is one. */
export interface LeftToDo {
  what: string;
  run?: string;
}

/** Returns the manual tasks after a removal, in order. */
export function checkList({ member, certificates, rotateKey, remaining, secrets, infras }: RemovePlan): LeftToDo[] {
  const { renew = false, ends, folder = '' } = certificates ?? {};
  const invitations = renew || rotateKey ? remaining : [];
  return [
    ...(!renew && ends
      ? [
          {
            what: `certificate of ${member}, valid until ${ends.slice(0, 10)}`,
            run: `provisioning member remove ${member} --renew-certificates --certificates ${quote(folder)}`,
          },
        ]
      : []),
    ...(renew ? [{ what: 'Temporal and the workers: restart them; until then they trust the former authority' }] : []),
    ...(rotateKey ? [] : [{ what: `encryption key, which ${member} has`, run: 'provisioning encryption rotate' }]),
    ...invitations.map((name) => ({
      what: `new invitation of ${name}`,
      run: `provisioning member invite ${name} --out ${name}.age`,
    })),
    ...secrets.map(secretLeft),
    ...infras.map(({ workspace, infra }) => ({
      what: `SSH key of infra ${infra} of ${workspace}: remove keys that you do not know from /root/.ssh/authorized_keys of its hosts`,
    })),
  ];
}

function secretLeft({ name, workspace, infra }: RemovePlan['secrets'][number]): LeftToDo {
  // Names of generated secrets include their workspace and infra.
  const [, whose, of] = isGenerated(name) ? name.split('/') : [];
  const scope = workspace
    ? [`--workspace ${workspace}`, infra && `--infra ${infra}`]
    : whose
      ? [`--workspace ${whose}`]
      : ['--shared'];
  const where = infra ?? of;
  // The holder of an authority's key can use it as long as the authority is trusted.
  const how = isGenerated(name) && parseGeneratedName(name).kind === 'ca' ? ['--at-once'] : [];
  return {
    what: `secret ${name}, ${where ? `infra ${where} of ${workspace ?? whose}` : (workspace ?? 'shared')}`,
    run: ['provisioning secret rotate', quote(name), ...how, ...scope].filter(Boolean).join(' '),
  };
}
