import * as z from 'zod';
import type { AccountReport, AddOns, CatalogImage, CatalogPlan, CatalogZone, Price } from '../../core/machine/catalog.js';
import type { DriftReport, ImportReport, Remedy } from '../../core/operation/drift.js';
import type { Orphan, RemovalReport } from '../../core/operation/orphans.js';
import type { ProviderOffer } from '../../core/operation/provider-questions.js';
import { hostStatus } from './host-status.js';
import { time } from './ids.js';
import { connection } from './inventory.js';
import { typeSchema } from './typed.js';

const text = z.string();
const price = typeSchema<Price>()(z.strictObject({ currency: text, hourly: z.number(), monthly: z.number().optional() }));
const prices = z.record(z.string(), price);

const plan = typeSchema<CatalogPlan>()(
  z.strictObject({
    name: text,
    cores: z.number(),
    memoryMiB: z.number(),
    diskGiB: z.number(),
    zones: z.record(z.string(), price.nullable()).describe('Price by zone; null if the price is not known'),
    bootDiskGiB: z.number().optional(),
  }),
);
const addOns = typeSchema<AddOns>()(
  z.strictObject({
    address: z.strictObject({ of: z.enum(['all', 'reserved']), prices }).optional(),
    firewall: prices.optional(),
  }),
);
/** Offers of a provider with their prices. */
export const sold = typeSchema<ProviderOffer>()(
  z.strictObject({
    defaultZone: text.optional(),
    plans: z.array(plan),
    volumePrices: prices.optional(),
    smallestVolumeGiB: z.number().optional(),
    addOns: addOns.optional(),
  }),
);
export const images = z.array(typeSchema<CatalogImage>()(z.strictObject({ name: text, id: text, title: text })));
export const zones = z.array(typeSchema<CatalogZone>()(z.strictObject({ name: text, title: text, region: text.optional() })));
/** Permissions and limits of an account. */
export const accountReport = typeSchema<AccountReport>()(
  z.strictObject({
    identity: text,
    abilities: z.array(z.strictObject({ what: text, allowed: z.boolean().optional(), why: text.optional() })),
    limits: z.array(z.strictObject({ what: text, used: z.number().optional(), limit: z.number().optional() })),
  }),
);

export const owned = {
  kind: z.enum(['server', 'network', 'volume', 'address', 'firewall', 'placement', 'key']),
  name: text,
  id: text,
  scope: z.strictObject({ workspace: text, infra: text, uuid: text }),
  since: time.optional(),
  key: text.optional(),
};
const found = { ...owned, provider: text, reason: text, operation: text.optional() };
const orphan = { ...found, ended: text.optional() };
export const orphanRow = typeSchema<Orphan>()(z.strictObject(orphan));
/** Providers that could not be queried. */
export const unaskedProviders = z.array(z.strictObject({ provider: text, why: text }));
const judged = z.array(z.strictObject({ ...orphan, why: text }));
/** Orphans, and the results of requested removals. */
export const removalReport = typeSchema<RemovalReport>()(
  z.strictObject({
    orphans: z.array(orphanRow),
    unasked: unaskedProviders,
    removed: z.array(orphanRow),
    kept: judged,
    failed: judged,
  }),
);

const remedy = z.enum([
  ...(['create', 'update', 'replace', 'start', 'record'] as const),
  ...(['adopt', 'delete', 'forget', 'refuse', 'leave'] as const),
]) satisfies z.ZodType<Remedy>;
const drift = { kind: z.enum(['server', 'network']), name: text, provider: text, apply: remedy };
/** Existing resources, compared with the inventory. */
export const driftReport = typeSchema<DriftReport>()(
  z.strictObject({
    infra: text,
    asRecorded: z.int(),
    differs: z.array(
      z.strictObject({
        ...drift,
        changes: z.array(text),
        connection: connection.optional(),
        runs: z.literal(true).optional(),
      }),
    ),
    gone: z.array(z.strictObject({ ...drift, id: text.optional() })),
    unknown: z.array(z.strictObject({ ...found, apply: remedy })),
    unasked: unaskedProviders,
    hosts: z.array(hostStatus).optional(),
    recorded: z.literal(true).optional(),
  }),
);
/** A server that was created elsewhere, found or imported. */
export const importReport = typeSchema<ImportReport>()(
  z.strictObject({
    infra: text,
    name: text,
    provider: text,
    id: text,
    plan: text,
    image: text,
    zone: text.optional(),
    address: text.optional(),
    labels: z.record(z.string(), text).optional(),
    imported: z.literal(true).optional(),
  }),
);
