import * as z from 'zod';
import { inputError, type RecordChange, type RecordSet, unreachableError, type ZoneVerbs } from '../../sdk/index.js';
import { isNotFound, type RequestSubject } from './api/api.js';
import { action, recordSet, zone as zoneShape } from './api/shapes.js';
import { vendorCode } from './errors.js';
import type { Project } from './project/project.js';

const TYPES = ['A', 'AAAA', 'CNAME', 'TXT'] as const;
const holding = z.object({ action });

/** Creates the verbs for record sets of the project's zones. */
export function zoneVerbs({ api, actions }: Project): ZoneVerbs {
  return {
    async list(zone, { signal }) {
      const about = { what: 'look at the records', on: zone, ...(signal && { signal }) };
      const { ttl } = await zoneNamed(zone, about);
      const rows = await api.list(recordSet, `zones/${zone}/rrsets`, { type: TYPES }, about);
      return rows.flatMap(({ name, type, ttl: own, records }): RecordSet[] => {
        const known = TYPES.find((one) => one === type);
        const values = records.map(({ value }) => (known === 'TXT' ? unquoted(value) : value)).sort();
        return known ? [{ name: fullName(name, zone), type: known, ttl: own ?? ttl, values }] : [];
      });
    },

    async change(zone, changes, { signal }) {
      for (const change of changes) {
        const about = { what: 'change the records', on: change.name, ...(signal && { signal }) };
        await changed(zone, change, about);
      }
    },
  };

  async function zoneNamed(zone: string, about: RequestSubject) {
    try {
      return (await api.get(z.object({ zone: zoneShape }), `zones/${zone}`, {}, about)).zone;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw inputError({
        code: 'zone-missing',
        what: 'look at the records',
        on: zone,
        why: 'the project has no such zone',
        hint: 'create the zone in the console of the project (DNS), or choose its account: provider: hetzner/prod',
      });
    }
  }

  async function changed(zone: string, { name, type, from, to }: RecordChange, about: RequestSubject): Promise<void> {
    const path = `zones/${zone}/rrsets/${encodeURIComponent(relativeName(name, zone))}/${type}`;
    const records = to?.values.map((value) => ({ value: type === 'TXT' ? `"${value}"` : value }));
    if (!to) {
      const answer = await api.remove(holding, path, about);
      return actions.finished([answer?.action], about);
    }
    if (!from) return made(`zones/${zone}/rrsets`, { name: relativeName(name, zone), type, ttl: to.ttl, records }, about);
    if (from.values.join() !== to.values.join())
      await actions.finished([(await api.post(holding, `${path}/actions/set_records`, { records }, about)).action], about);
    if (from.ttl !== to.ttl)
      await actions.finished([(await api.post(holding, `${path}/actions/change_ttl`, { ttl: to.ttl }, about)).action], about);
  }

  async function made(path: string, body: object, about: RequestSubject): Promise<void> {
    try {
      await actions.finished([(await api.post(holding, path, body, about)).action], about);
    } catch (error) {
      if (vendorCode(error) !== 'uniqueness_error') throw error;
      const why = 'another client created such records at the same time';
      throw unreachableError({ code: 'records-changed', what: about.what, on: about.on, why }, { cause: error });
    }
  }
}

/** Returns a name relative to its zone. Hetzner uses `@` for the zone itself. */
const relativeName = (name: string, zone: string): string => (name === zone ? '@' : name.slice(0, -zone.length - 1));
const fullName = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`).toLowerCase();

/** Returns a text without the quotes of zone files, in which long texts are split into parts. */
const unquoted = (value: string): string =>
  /^"/.test(value) ? [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) => part).join('') : value;
