import type { Plan, Size } from '../../sdk/index.js';

/** Cores, memory and disk (GB) of the plans on sale in January 2026. The catalog requests the present offer. */
const SOLD: Readonly<Record<string, readonly [cores: number, memoryGiB: number, disk: number]>> = {
  cx23: [2, 4, 40],
  cx33: [4, 8, 80],
  cx43: [8, 16, 160],
  cx53: [16, 32, 320],
  cpx11: [2, 2, 40],
  cpx12: [1, 2, 40],
  cpx21: [3, 4, 80],
  cpx22: [2, 4, 80],
  cpx31: [4, 8, 160],
  cpx32: [4, 8, 160],
  cpx41: [8, 16, 240],
  cpx42: [8, 16, 320],
  cpx51: [16, 32, 360],
  cpx52: [12, 24, 480],
  cpx62: [16, 32, 640],
  cax11: [2, 4, 40],
  cax21: [4, 8, 80],
  cax31: [8, 16, 160],
  cax41: [16, 32, 320],
  ccx13: [2, 8, 80],
  ccx23: [4, 16, 160],
  ccx33: [8, 32, 240],
  ccx43: [16, 64, 360],
  ccx53: [32, 128, 600],
  ccx63: [48, 192, 960],
};

export const PLANS: readonly Plan[] = Object.entries(SOLD).map(([name, [cores, memoryGiB, diskGiB]]) => ({
  name,
  cores,
  memoryMiB: memoryGiB * 1024,
  diskGiB,
}));

const named = (name: string): Plan => PLANS.find((plan) => plan.name === name) as Plan;

export const SIZES: Record<Size, Plan> = {
  small: named('cx23'),
  medium: named('cpx22'),
  large: named('cx33'),
  xlarge: named('cx43'),
};
