import { join } from 'node:path';
import { splitList } from '../../../authoring/request/named.js';
import { upstreamSettings } from '../../../authoring/versions/upstream-settings.js';
import { registries } from '../../../definition/registries/registries.js';
import { createWeb } from '../../../upstream/asking/web.js';
import { openKeptAnswersOrNone } from '../../../upstream/kept-answers.js';
import { listServices } from '../../../upstream/listed-services.js';
import { upstreamVersions } from '../../../upstream/upstream-versions.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { taskservNamed } from '../../shared/taskserv-named.js';
import { createCount } from '../../shared/versions/count-of.js';
import { exitCodeOfUpstream, upstreamTable } from '../../shared/versions/upstream.js';

/** Seconds after which a silent source times out. */
const SILENT_S = 20;

export const command = defineCommand({
  arguments: [['[services...]', 'taskservs to check (default: every service with a known source)']],
  options: [
    { flags: '--refresh', about: 'ignore the cache' },
    { flags: '--timeout <seconds>', about: `seconds to wait for an answer of a vendor (default: ${SILENT_S})`, number: true },
  ],
  details:
    'Queries the vendors, or the lists of their versions, and compares with the versions that this release supports. For services from Debian it shows the archive version in each release. Pre-releases are ignored. Nothing is changed. Answers are cached for a day (versions.keep), and for another week (versions.grace) if a vendor cannot be reached. Exit code 0 if everything is current, 3 if a vendor did not answer. Exit code 1 if there are newer versions, or an archive has an unexpected series.',
  examples: ['version check', 'version check traefik,redis', 'version check --refresh --json'],
  async run(session, { args, flags }) {
    const names = splitList(args);
    const { taskservs } = await registries();
    for (const name of names) taskservNamed(taskservs, name);
    const services = await listServices(taskservs, names);
    const { mirrors, goodMs, graceMs } = await upstreamSettings(session);
    const count = createCount(session, 'services checked');
    count.begin(services.length);
    const found = await upstreamVersions(services, {
      web: createWeb({ mirrors, silentMs: (flags.timeout ?? SILENT_S) * 1_000 }),
      kept: await openKeptAnswersOrNone(join(session.home.root, 'answers', 'versions'), session.note),
      ...{ goodMs, graceMs, by: mirrors, refresh: flags.refresh === true },
      done: count.done,
    }).finally(count.end);
    if (session.json) writeDocument(session, { services: found });
    else session.out.write(upstreamTable(found, paintFor(session.out)));
    if (!session.json)
      for (const hint of new Set(found.flatMap(({ failure }) => failure?.hint ?? []))) session.note(`hint: ${hint}`);
    return exitCodeOfUpstream(found);
  },
});
