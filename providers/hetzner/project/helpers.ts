import * as z from 'zod';
import type { CallContext, CreateContext, ServerWanted } from '../../../sdk/index.js';
import {
  action,
  type Firewall,
  firewall,
  type PlacementGroup,
  type PrimaryIp,
  placementGroup,
  primaryIp,
  type Server,
  type SshKey,
  sshKey,
} from '../api/shapes.js';
import { vendorRules } from '../firewall.js';
import { hetznerName, nameIn, ownLabels, selector } from './labels.js';
import { FIELDS, type Project } from './project.js';

/*
 * What is made along with servers, and nobody names. Each is found by its labels
 * first, so that another try makes no second one.
 */

const labelled = (kind: 'firewall' | 'address' | 'placement' | 'key', name: string, context: CreateContext) => ({
  name: hetznerName(context.scope, kind === 'placement' || kind === 'key' ? `${kind}-${name}` : name),
  labels: ownLabels(kind, name, context),
});

/** The infra's key. Without one the vendor would send a password by mail. */
export async function ensureKey(project: Project, public_key: string, context: CreateContext): Promise<SshKey> {
  const { infra } = context.scope;
  const about = { what: 'make the key', on: infra };
  const make = async () =>
    (await project.api.post(z.object({ ssh_key: sshKey }), 'ssh_keys', { ...labelled('key', infra, context), public_key }, about))
      .ssh_key;
  const there = await project.ensure('key', infra, context, make);
  if (sameKey(there.public_key, public_key)) return there;
  // The infra has been given a new one since.
  await project.shared(`key ${there.id}`, context.signal, () => project.api.remove(z.unknown(), `ssh_keys/${there.id}`, about));
  return project.ensure('key', infra, context, make);
}

const sameKey = (a: string, b: string) => a.split(' ')[1] === b.split(' ')[1];

/** Servers with the same word never share a physical machine. A group takes ten at most. */
export function ensurePlacement(project: Project, word: string, context: CreateContext): Promise<PlacementGroup> {
  const about = { what: 'make the placement', on: word };
  return project.ensure('placement', word, context, async () => {
    const body = { ...labelled('placement', word, context), type: 'spread' };
    return (await project.api.post(z.object({ placement_group: placementGroup }), 'placement_groups', body, about)).placement_group;
  });
}

export function ensureFirewall(
  project: Project,
  { name, firewall: rules = [] }: ServerWanted,
  context: CreateContext,
): Promise<Firewall> {
  const about = { what: 'make the firewall', on: name };
  return project.ensure('firewall', name, context, async () => {
    const body = { ...labelled('firewall', name, context), rules: vendorRules(rules) };
    return (await project.api.post(z.object({ firewall }), 'firewalls', body, about)).firewall;
  });
}

/** A public address of its own, which outlives the machine. */
export function ensureAddress(
  project: Project,
  { name }: ServerWanted,
  location: string,
  context: CreateContext,
): Promise<PrimaryIp> {
  const about = { what: 'reserve the address', on: name };
  return project.ensure('address', name, context, async () => {
    const body = { ...labelled('address', name, context), type: 'ipv4', assignee_type: 'server', auto_delete: false, location };
    const answer = await project.api.post(
      z.object({ primary_ip: primaryIp, action: action.optional() }),
      'primary_ips',
      body,
      about,
    );
    await project.actions.finished([answer.action], about);
    return answer.primary_ip;
  });
}

/** Deletes the firewall and, unless a successor is to have it, the address of a server that is gone. */
export async function removeHelpers(project: Project, server: string, context: CallContext, keepAddress = false): Promise<void> {
  for (const kind of keepAddress ? (['firewall'] as const) : (['firewall', 'address'] as const)) {
    const row = await project.ours(kind, server, context);
    const about = { what: `delete the ${kind}`, on: server, signal: context.signal };
    if (row) await project.api.remove(z.unknown(), `${FIELDS[kind]}/${row.id}`, about);
  }
}

/** Deletes what only servers used of which none is left: the placement of the one that went, and with the last all and the key. */
export async function tidy(project: Project, gone: Server | undefined, context: CallContext): Promise<void> {
  const { scope } = context;
  const about = { what: 'tidy up', on: scope.infra };
  const word = gone?.placement_group ? nameIn(gone.placement_group.labels) : '';
  const group = word ? await project.ours('placement', word, context) : undefined;
  if (group?.servers.every((id) => id === gone?.id))
    await project.api.remove(z.unknown(), `${FIELDS.placement}/${group.id}`, about);
  await removeUnused(project, gone, context);
}

/** Deletes placements and key where the infra has no server besides the one that went. */
export async function removeUnused(project: Project, gone: Server | undefined, context: CallContext): Promise<void> {
  const { scope } = context;
  const about = { what: 'tidy up', on: scope.infra };
  await project.shared(`tidy ${scope.uuid}`, context.signal, async () => {
    // Two tell whether there is another than the one that may still be shown.
    const query = { label_selector: selector(scope, 'server'), per_page: 2 };
    const { servers } = await project.api.get(z.object({ servers: z.array(z.object({ id: z.int() })) }), 'servers', query, about);
    if (servers.some(({ id }) => id !== gone?.id)) return;
    for (const kind of ['placement', 'key'] as const)
      for (const { id } of await project.list(kind, selector(scope, kind), about))
        await project.api.remove(z.unknown(), `${FIELDS[kind]}/${id}`, about);
  });
}
