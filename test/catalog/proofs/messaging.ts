import type { Proofs } from '../proof.js';

const nats = (login: string): string => `exec 3<>/dev/tcp/$(hostname)/4222
printf 'CONNECT %s\\r\\nSUB news 1\\r\\nPUB news 5\\r\\nhello\\r\\n' '${login}' >&3
timeout 5 grep -m1 -A1 '^MSG news 1 5' <&3 | grep -c hello`;

export const messaging: Proofs = {
  nats: {
    config: { users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true },
    works: `password=$(sed -n "s/.*user: \\"shop\\", password: '\\(.*\\)'.*/\\1/p" /etc/nats-server.conf)
${nats('{"verbose":false,"user":"shop","pass":"\'"$password"\'"}')}
[ -d /var/lib/nats/jetstream ]`,
    changed: {
      config: { maxPayload: '2 MiB', jetStream: true },
      works: 'exec 3<>/dev/tcp/127.0.0.1/4222; head -n1 <&3 | grep -c \'"max_payload":2097152\'',
    },
    units: ['nats-server'],
  },
};
