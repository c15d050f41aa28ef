import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Changes by scripts of a taskserv on a host that may have had these things before. */
const CHANGES: Record<string, RegExp> = {
  files: />>?\s*'?(\/etc\/[^\s';)"&|]+)|\b(?:ln -sfn|mv -f --|sed -i) \S+ '?(\/etc\/[^\s';)"]+)/g,
  accounts: /\b(?:usermod|userdel|useradd|chpasswd|gpasswd)\b[^\n;]* (\S+)$/gm,
  groups: /\b(?:groupadd|groupdel|groupmod) (\S+)$/gm,
  units: /\bsystemctl (?:-q )?(?:unmask|mask|disable|enable(?: --now)?) ([\w@.-]+)/g,
};

/** Scripts that restore their changes themselves, or change only their own things. */
const BY_THEMSELVES: Record<string, RegExp> = {
  // Keep the former file beside the new one, and put it back.
  resolv: /^(Write|Put) \/etc\/resolv\.conf/,
  apt: /^(Set \/etc\/apt\/\S+ aside|Put \/etc\/apt\/\S+ back)$/,
  // A file of their own, in whose name they are.
  aide: /^Note how the watched files are$/,
  // A file of its own, and the unit that another step of the same plan writes.
  kubernetes: /^(Found the Kubernetes cluster|Add \S+ to the Kubernetes cluster)/,
  // Only an account that is missing is made.
  samba: /^(Create|Set the password of) the account/,
};

interface Case {
  steps?: { title: string; run?: string | string[]; changes?: Record<string, string[]> }[];
}

function casesOf(name: string): [string, Case][] {
  const folder = join(import.meta.dirname, name, 'cases');
  return readdirSync(folder).map((file) => [`${name}/${file}`, JSON.parse(readFileSync(join(folder, file), 'utf8'))]);
}

const NAMES = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((one) => one.isDirectory());

test('each script says what it changes that a host may have had before', () => {
  const seen: string[] = [];
  const silent = NAMES.flatMap(({ name }) =>
    casesOf(name).flatMap(([file, { steps = [] }]) =>
      steps.flatMap(({ title, run = '', changes = {} }) => {
        if (BY_THEMSELVES[name]?.test(title)) return [];
        const text = [run].flat().join('\n');
        return Object.entries(CHANGES).flatMap(([kind, pattern]) =>
          [...text.matchAll(pattern)].flatMap((match) => {
            const changed = match.slice(1).find((one) => one !== undefined) ?? '';
            seen.push(`${name} ${kind}`);
            return changes[kind]?.includes(changed)
              ? []
              : [`${file}: "${title}" changes ${changed} of ${kind} and does not say it`];
          }),
        );
      }),
    ),
  );
  expect(silent).toEqual([]);
  expect(new Set(seen)).toEqual(new Set(['os files', 'unattended-upgrades units', 'users accounts', 'users groups']));
});
