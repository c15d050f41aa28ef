import * as z from 'zod';
import { line } from '../../sdk/index.js';

const sysctlKey = z.string().regex(/^[a-z0-9_]+(\.[A-Za-z0-9_-]+)+$/, {
  error: 'write a name like "vm.swappiness": words with dots between',
});

const sysctlValue = z.union([
  z.int(),
  z.string().regex(/^[A-Za-z0-9._/:,%|+-]+( [A-Za-z0-9._/:,%|+-]+)*$/, {
    error: 'a value is one line, with single spaces between words',
  }),
]);

const limit = z.strictObject({
  who: z
    .string()
    .regex(/^(\*|@?[a-z_][a-z0-9_.-]{0,31})$/, { error: 'write a user, "@" and a group, or "*" for all users except root' })
    .describe('Scope of the limit: a user, `@group`, or `*` for all users except root'),
  what: z
    .enum(['nofile', 'nproc', 'memlock', 'stack', 'fsize', 'data', 'as', 'cpu', 'core', 'nice', 'rtprio', 'maxlogins'])
    .describe('Limit, with its name in `limits.conf`'),
  value: z.union([z.int().min(-20), z.literal('unlimited')]).describe('Value, soft and hard, in the unit of `limits.conf`'),
});

export const osConfig = z
  .strictObject({
    sysctl: z.record(sysctlKey, sysctlValue).default({}).describe('Settings of the kernel, by name'),
    hardening: z.boolean().default(true).describe('Whether kernel settings for hardening are applied; `sysctl` takes precedence'),
    limits: z.array(limit).default([]).describe('Limits of sessions; services have the limits of their units'),
    coreDumps: z.boolean().default(false).describe('Whether crashing programs may write core dumps'),
    timeZone: z
      .string()
      .regex(/^[A-Z][A-Za-z0-9_+-]*(\/[A-Z][A-Za-z0-9_+-]*){0,2}$/, { error: 'write a name like "Europe/Berlin" or "UTC"' })
      .optional()
      .describe('Time zone; default: unchanged'),
    locale: z
      .string()
      .regex(/^(C|POSIX|C\.UTF-8|[a-z]{2,3}_[A-Z]{2}(\.UTF-8)?)$/, { error: 'write a name like "C.UTF-8" or "de_DE.UTF-8"' })
      .optional()
      .describe('Locale of sessions and services, which the host must have; default: unchanged'),
    motd: line(500).optional().describe('Text after a login, or empty; default: unchanged'),
  })
  .meta({
    examples: [
      {
        sysctl: { 'vm.swappiness': 10, 'net.core.somaxconn': 8192 },
        limits: [{ who: '*', what: 'nofile', value: 65_536 }],
        timeZone: 'Europe/Berlin',
      },
    ],
  });

export type OsConfig = z.output<typeof osConfig>;

/** Not every kernel has each of these. */
const HARDENING: Readonly<Record<string, number>> = {
  'fs.protected_fifos': 2,
  'fs.protected_hardlinks': 1,
  'fs.protected_regular': 2,
  'fs.protected_symlinks': 1,
  'fs.suid_dumpable': 0,
  'kernel.dmesg_restrict': 1,
  'kernel.kptr_restrict': 2,
  'kernel.yama.ptrace_scope': 1,
  'net.core.bpf_jit_harden': 2,
  'net.ipv4.conf.all.accept_redirects': 0,
  'net.ipv4.conf.all.accept_source_route': 0,
  'net.ipv4.conf.all.send_redirects': 0,
  'net.ipv4.icmp_echo_ignore_broadcasts': 1,
  'net.ipv4.tcp_syncookies': 1,
  'net.ipv6.conf.all.accept_redirects': 0,
  'net.ipv6.conf.all.accept_source_route': 0,
};

/** Settings of the kernel that are wanted, sorted; `optional` where the kernel need not have one. */
export function kernelSettings({ sysctl, hardening }: OsConfig): { key: string; value: string; optional: boolean }[] {
  const wanted = { ...(hardening ? HARDENING : {}), ...sysctl };
  return Object.entries(wanted)
    .map(([key, value]) => ({ key, value: String(value), optional: !(key in sysctl) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
