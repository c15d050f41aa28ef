import type { Template } from './read-template.js';

/** Parameter of a template, for lists. */
export interface DescribedParameter {
  name: string;
  type: string;
  description?: string;
  /** Absent if the parameter is required. */
  default?: unknown;
  /** Allowed values. */
  enum?: (string | number)[];
  /** Smallest and largest allowed number. */
  min?: number;
  max?: number;
}

/** Template, for lists. */
export interface DescribedTemplate {
  description: string;
  parameters: DescribedParameter[];
  /** Values of parameters for each size, by the name of the size. Empty if the template has no sizes. */
  sizes: Record<string, Record<string, unknown>>;
  outputs: { name: string; description?: string }[];
}

/** Describes a template: parameters, sizes and outputs, in the order of its file. */
export function describeTemplate({ description, parameters, sizes, outputs }: Template): DescribedTemplate {
  const valuesOf = (values: ReadonlyMap<string, { value: unknown }>) =>
    Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  return {
    description,
    parameters: [...parameters.values()].map(({ name, type, description: about, value, choices, min, max }) => ({
      name,
      type,
      ...(about && { description: about }),
      ...(value !== undefined && { default: value.value }),
      ...(choices && { enum: [...choices] }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    })),
    sizes: Object.fromEntries([...sizes].map(([size, values]) => [size, valuesOf(values)])),
    outputs: [...outputs].map(([name, about]) => ({ name, ...(about && { description: about }) })),
  };
}
