import type { Plan } from '../definition/definition.js';

/** Money for one unit; amounts in the currency's main unit, before tax. */
export interface Price {
  /** ISO 4217. */
  currency: string;
  hourly: number;
  /** Monthly price, if the provider caps or publishes it. Otherwise 730 hours are counted. */
  monthly?: number;
}

/** A plan as the provider sells it today. */
export interface CatalogPlan extends Plan {
  /** By zone; a zone that is missing does not sell it, one with null sells it at a price that is not known. */
  zones: Record<string, Price | null>;
  /** GiB of the disk that its servers boot from, where that is sold apart, as volumes are. */
  bootDiskGiB?: number;
}

/** Products beside plans and volumes: hourly prices by zone. The price of a missing zone is unknown. */
export interface AddOns {
  /** Public IPv4 address: each server's, or only a reserved one because plans include another. */
  address?: { of: 'all' | 'reserved'; prices: Record<string, Price> };
  /** Firewall of a server. */
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

/** Permissions and quotas of an account. */
export interface AccountReport {
  /** Whose it is, as the provider says; never a secret. */
  identity: string;
  /** `allowed` is undefined where it cannot be known without doing it. */
  abilities: { what: string; allowed?: boolean; why?: string }[];
  limits: { what: string; used?: number; limit?: number }[];
}

/** Live catalog of a provider. */
export interface Catalog {
  /** Zone of servers without a declared zone. */
  defaultZone?: string;
  /** Volumes of fewer GiB become this large. */
  smallestVolumeGiB?: number;
  plans(signal?: AbortSignal): Promise<CatalogPlan[]>;
  images(signal?: AbortSignal): Promise<CatalogImage[]>;
  zones(signal?: AbortSignal): Promise<CatalogZone[]>;
  /** Hourly price of a GiB of volume by zone, if known. */
  volumePrices?(signal?: AbortSignal): Promise<Record<string, Price>>;
  /** Further billed products. Absent if only plans and volumes are billed. */
  addOns?(signal?: AbortSignal): Promise<AddOns>;
  check(signal?: AbortSignal): Promise<AccountReport>;
}
