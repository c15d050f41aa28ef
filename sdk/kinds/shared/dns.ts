import { sh } from '../../../core/host/shell.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';

/** RFC 1035 query for the address (A) of `localhost`, which a resolver answers without other servers. */
const ASK_LOCALHOST = String.raw`\x70\x72\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x09localhost\x00\x00\x01\x00\x01`;

/** Checks that a resolver on this host answers over UDP. It only uses the shell: a small host has no program for it. */
export const resolvesNames = (taskserv: string, port: number): HealthCheck => ({
  title: `${taskserv} resolves names`,
  command: sh`exec 3<>/dev/udp/127.0.0.1/${port}
printf ${ASK_LOCALHOST} >&3
timeout 3 dd bs=512 count=1 status=none <&3 | od -An -v -tx1 | tr -d ' \n'`,
  expect: '7f000001',
});
