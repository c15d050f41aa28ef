import { cancellationSignal } from '@temporalio/activity';
import { privateAddressIn } from '../../../core/host/listening.js';
import type { Connection } from '../../../core/machine/provider.js';
import type { Dependencies } from '../../dependencies.js';
import type { Host, HostRef } from '../host.js';
import { scriptHost } from '../script/script-host.js';
import type { Target } from '../transport.js';
import { firstContact } from './first-contact.js';
import { replaceHostKey } from './replace-host-key.js';

/** Hosts that are reached by SSH. */
export function sshHosts(dependencies: Dependencies) {
  const { transports, keys, firstContact: limits } = dependencies;
  return ({ scope, server, connection }: HostRef<Extract<Connection, { kind: 'ssh' }>>): Host => {
    const target: Target = { workspace: scope.workspace, infra: scope.infra, server, connection };
    const { access, ...verbs } = scriptHost({ scope, server, open: (options) => transports.open(target, options) }, dependencies);
    const privateAddress = privateAddressIn(connection);
    return {
      ...verbs,
      ...(privateAddress ? { privateAddress } : {}),
      access: {
        ...access,
        async firstContact({ beat, console }) {
          await firstContact({ transports, target, beat, console, signal: cancellationSignal(), limits });
          await replaceHostKey({ keys, transports, target, beat, signal: cancellationSignal() });
        },
        takeFirstSeen: () => transports.takeFirstSeen(target),
        forget: () => transports.forget(target),
      },
    };
  };
}
