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

/** Checks of both tools: they restore, leave out excluded files, and reveal nothing without the right password. */
const backsUp = (tool: string, restore: string, wrong: string, further = { config: {}, works: '' }): Proof => ({
  config,
  works: `${restores(restore)}
[ -e ${RESTORED}/file.tmp ]; if ${wrong}; then exit 1; fi
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
  borg: backsUp('borg', BORG, 'BORG_PASSPHRASE=wrong borg list'),
  restic: backsUp('restic', RESTIC, 'RESTIC_PASSWORD=wrong restic snapshots', { config: { before: DUMP }, works: DUMPS }),
};
