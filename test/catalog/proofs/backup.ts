import type { Proof, Proofs } from '../proof.js';

const config = { repository: '/srv/backup', password: { generate: 'password' }, paths: ['/srv/data', '/etc/hostname'] };
const changed = { ...config, exclude: ['*.tmp'], schedule: '*-*-* 03:30' };

const SOME_DATA = 'mkdir -p /srv/data; echo kept >/srv/data/file; echo junk >/srv/data/file.tmp';
const RESTORED = '/srv/restored/srv/data';

const RESTIC = `set -a; . /etc/restic/environment; set +a; systemctl start restic.service
rm -rf /srv/restored; restic restore latest --target /srv/restored`;

const BORG = `set -a; . /etc/borg/environment; set +a; systemctl start borg.service
rm -rf /srv/restored; mkdir /srv/restored; cd /srv/restored; borg extract "::$(borg list --short --last 1)"`;

const restores = (restore: string): string => `${SOME_DATA}
${restore}
grep -x kept ${RESTORED}/file`;

/**
 * A dump that was made before each backup is in it. Only root can read it, and the dump script sees no secret. A
 * failed dump fails the backup.
 */
const DUMP = '[ -z "${RESTIC_PASSWORD:-}" ]; [ ! -e /srv/refuse ]; id -un >/srv/data/dump';
const DUMPS = `[ "$(cat ${RESTORED}/dump; stat -c %a ${RESTORED}/dump)" = $'root\\n600' ]
before=$(restic snapshots --json); touch /srv/refuse
if systemctl start restic.service; then exit 1; fi
[ "$(restic snapshots --json)" = "$before" ]; rm /srv/refuse; systemctl start restic.service
`;

/** Two backups of one day by a server with a longer name in the same repository: its neighbor would keep only one. */
const OTHER = '"$(uname -n)-2"';
const RESTIC_OTHER = `set -a; . /etc/restic/environment; set +a
for hour in 01 02; do restic backup --quiet --tag provisioning --host ${OTHER} --time "2020-01-01 $hour:00:00" /etc/hostname; done
systemctl start restic.service
[ "$(restic snapshots --json --host ${OTHER} | grep -o '"short_id"' | wc -l)" = 2 ]
`;
const BORG_OTHER = `set -a; . /etc/borg/environment; set +a
for at in 2020-01-01T01:00:00 2020-01-01T02:00:00; do borg create --timestamp $at "::provisioning-"${OTHER}"-$at" /etc/hostname; done
systemctl start borg.service
[ "$(borg list --short | grep -c -e '-2-2020-01-01T')" = 2 ]
`;

/** Checks of both tools: they restore, leave out excluded files, and reveal nothing without the right password. */
const backsUp = (
  tool: string,
  restore: string,
  {
    wrong,
    other,
    further = { config: {}, works: '' },
  }: { wrong: string; other: string; further?: { config: object; works: string } },
): Proof => ({
  config,
  works: `${restores(restore)}
${other}[ -e ${RESTORED}/file.tmp ]; if ${wrong}; then exit 1; fi
if grep -r kept /srv/backup; then exit 1; fi
mv /srv/backup /srv/away; if systemctl start ${tool}.service; then exit 1; fi; mv /srv/away /srv/backup`,
  // A failed backup does not prevent changes of its configuration.
  changed: {
    config: { ...changed, ...further.config },
    works: `${restores(restore)}
[ ! -e ${RESTORED}/file.tmp ]
${further.works}systemctl show -p TimersCalendar ${tool}.timer | grep 03:30`,
  },
  units: [`${tool}.timer`, `${tool}.service`],
  gone: `[ -e /srv/backup/config ] && [ ! -e /etc/${tool}/environment ]`,
});

export const backup: Proofs = {
  borg: backsUp('borg', BORG, { wrong: 'BORG_PASSPHRASE=wrong borg list', other: BORG_OTHER }),
  restic: backsUp('restic', RESTIC, {
    ...{ wrong: 'RESTIC_PASSWORD=wrong restic snapshots', other: RESTIC_OTHER },
    further: { config: { before: DUMP }, works: DUMPS },
  }),
};
