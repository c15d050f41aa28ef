import type { Proofs } from '../proof.js';

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

export const backup: Proofs = {
  borg: {
    config,
    works: `${restores(BORG)}
[ -e ${RESTORED}/file.tmp ]; if BORG_PASSPHRASE=wrong borg list; then exit 1; fi
! grep -r kept /srv/backup`,
    changed: {
      config: changed,
      works: `${restores(BORG)}
[ ! -e ${RESTORED}/file.tmp ]
systemctl show -p TimersCalendar borg.timer | grep 03:30`,
    },
    units: ['borg.timer', 'borg.service'],
    gone: '[ -e /srv/backup/config ] && [ ! -e /etc/borg/environment ]',
  },
  restic: {
    config,
    works: `${restores(RESTIC)}
[ -e ${RESTORED}/file.tmp ]; if RESTIC_PASSWORD=wrong restic snapshots; then exit 1; fi
! grep -r kept /srv/backup`,
    changed: {
      config: changed,
      works: `${restores(RESTIC)}
[ ! -e ${RESTORED}/file.tmp ]
systemctl show -p TimersCalendar restic.timer | grep 03:30`,
    },
    units: ['restic.timer', 'restic.service'],
    gone: '[ -e /srv/backup/config ] && [ ! -e /etc/restic/environment ]',
  },
};
