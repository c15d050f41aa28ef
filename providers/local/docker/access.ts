import type Docker from 'dockerode';
import type { Access } from '../../../sdk/index.js';
import { tar } from './tar.js';

const withNewline = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** Puts the infra's key and the host's own key pair into a container that has not started yet. */
export async function putAccess(container: Docker.Container, { authorizedKey, hostKey }: Access): Promise<void> {
  const archive = tar([
    { path: 'root/.ssh', mode: 0o700 },
    { path: 'root/.ssh/authorized_keys', mode: 0o600, content: withNewline(authorizedKey) },
    { path: 'etc/ssh/ssh_host_ed25519_key', mode: 0o600, content: withNewline(hostKey.private) },
    { path: 'etc/ssh/ssh_host_ed25519_key.pub', mode: 0o644, content: withNewline(hostKey.public) },
  ]);
  await container.putArchive(archive, { path: '/' });
}
