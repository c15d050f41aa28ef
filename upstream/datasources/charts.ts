import { messageOf } from '../../core/errors.js';
import type { VersionsFile } from '../../core/schema/versions/versions-file.js';
import { clipText } from '../../core/text.js';
import { type ChartVersions, chartIndex } from '../reading/chart-index.js';
import { stableVersions } from '../reading/stable-version.js';
import { createMissingError, unreadable } from '../upstream-errors.js';
import { findKeptPart, folder, type ListLookup, type Part } from './part.js';

const MOST_BYTES = 50_000_000;

type Charts = Extract<VersionsFile['upstream'], { datasource: 'charts' }>;

/** Reads the index of a Helm chart repository. */
export async function lookAtCharts({ repository, chart }: Charts, looking: ListLookup): Promise<Part[]> {
  const of = `${folder(repository)}index.yaml`;
  const before = findKeptPart(looking, of);
  const answer = await looking.web.get(of, { most: MOST_BYTES, ...(before && { validators: before.validators }) });
  if (!answer) return before ? [before] : [];
  const { host } = new URL(of);
  const text = answer.body.toString();
  if (!/^entries:/m.test(text)) throw unreadable(host, 'its answer is not an index of charts');
  const found = read(text, chart, host);
  const versions = stableVersions(found?.versions ?? []).map((version) => ({ version }));
  if (!found || versions.length === 0)
    throw createMissingError(host, `the index there has no released version of the chart ${chart}`);
  const remark = found.deprecated ? { remark: 'its repository does not look after this chart any more' } : {};
  return [{ of, validators: answer.validators, versions, complete: true, ...remark }];
}

function read(text: string, chart: string, host: string): ChartVersions | undefined {
  try {
    return chartIndex(text, chart);
  } catch (error) {
    throw unreadable(host, `the index there cannot be read: ${clipText(messageOf(error), 160)}`);
  }
}
