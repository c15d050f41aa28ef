import { quote } from '../../../core/host/shell.js';
import { parseGeneratedName } from '../../../core/taskserv/generated-names.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import type { RemovePlan } from '../../../members/remove-member.js';

/** Something that is left to do by hand, with its command if there is one. */
export interface LeftToDo {
  what: string;
  run?: string;
}

/** All that is left to do after a removal, in its order. */
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
  // Generated secrets name their workspace and infra themselves.
  const [, whose, of] = isGenerated(name) ? name.split('/') : [];
  const scope = workspace
    ? [`--workspace ${workspace}`, infra && `--infra ${infra}`]
    : whose
      ? [`--workspace ${whose}`]
      : ['--shared'];
  const where = infra ?? of;
  // Who has the key of an authority can use it as long as anybody trusts it.
  const how = isGenerated(name) && parseGeneratedName(name).kind === 'ca' ? ['--at-once'] : [];
  return {
    what: `secret ${name}, ${where ? `infra ${where} of ${workspace ?? whose}` : (workspace ?? 'shared')}`,
    run: ['provisioning secret rotate', quote(name), ...how, ...scope].filter(Boolean).join(' '),
  };
}
