import type { Plan } from '../definition/definition.js';

/** Money for one unit; amounts in the currency's main unit, before tax. */
export interface Price {
  /** ISO 4217. */
  currency: string;
  hourly: number;
  /** Where the provider caps or says it; otherwise 730 hours are counted. */
  monthly?: number;
}

/** A plan as the provider sells it today. */
export interface CatalogPlan extends Plan {
  /** By zone; a zone that is missing does not sell it, one with null sells it at a price that is not known. */
  zones: Record<string, Price | null>;
  /** GiB of the disk that its servers boot from, where that is sold apart, as volumes are. */
  bootDiskGiB?: number;
}

/** What is sold besides plans and volumes: for an hour by zone; in a zone that is missing its price is not known. */
export interface AddOns {
  /** Of a public IPv4 address: each server's, or only one that is reserved since a plan has another. */
  address?: { of: 'all' | 'reserved'; prices: Record<string, Price> };
  /** Of a firewall on a server, where there is one. */
  firewall?: Record<string, Price>;
}

export interface CatalogImage {
  /** As a definition says it: the abstract name where there is one, otherwise the provider's own. */
  name: string;
  id: string;
  title: string;
}

export interface CatalogZone {
  name: string;
  title: string;
  /** The abstract region that it serves. */
  region?: string;
}

/** What an account may do, and how much of it. */
export interface AccountReport {
  /** Whose it is, as the provider says; never a secret. */
  identity: string;
  /** `allowed` is undefined where it cannot be known without doing it. */
  abilities: { what: string; allowed?: boolean; why?: string }[];
  limits: { what: string; used?: number; limit?: number }[];
}

/** What a provider sells, live. */
export interface Catalog {
  /** Where a server goes that names no zone. */
  defaultZone?: string;
  /** Volumes of fewer GiB become this large. */
  smallestVolumeGiB?: number;
  plans(signal?: AbortSignal): Promise<CatalogPlan[]>;
  images(signal?: AbortSignal): Promise<CatalogImage[]>;
  zones(signal?: AbortSignal): Promise<CatalogZone[]>;
  /** Price of a GiB of volume for an hour by zone, where known. */
  volumePrices?(signal?: AbortSignal): Promise<Record<string, Price>>;
  /** What a server is billed for besides; absent where plans and volumes are all. */
  addOns?(signal?: AbortSignal): Promise<AddOns>;
  check(signal?: AbortSignal): Promise<AccountReport>;
}
