/** A network or an address in one form: equal ones have the same text, apart from an address with and without `/32` or `/128`. */
interface NetworkForm {
  /** As it was meant: `2001:db8::/32` of `2001:DB8:0::/32`. */
  text: string;
  /** The network by its first address: `10.0.0.0/8` of `10.0.0.1/8`. The same as `text` if that is whole. */
  network: string;
  /** The address without its range: `10.0.0.1/32` of `10.0.0.1/8`. */
  alone: string;
}

/**
 * The form of a network that was written as an address with a prefix length, or of one address.
 *
 * @param written valid, as the schemas judge it
 */
export function networkForm(written: string): NetworkForm {
  const [address = '', prefix] = written.split('/');
  const isIpv4 = !address.includes(':');
  const width = isIpv4 ? 32 : 128;
  const bits = prefix === undefined ? width : Number(prefix);
  const value = isIpv4 ? ipv4Value(address) : ipv6Value(address);
  const host = (1n << BigInt(width - bits)) - 1n;
  const textOf = isIpv4 ? ipv4Text : ipv6Text;
  const length = prefix === undefined ? '' : `/${bits}`;
  return {
    text: `${textOf(value)}${length}`,
    network: `${textOf(value - (value & host))}${length}`,
    alone: `${textOf(value)}/${width}`,
  };
}

const ipv4Value = (address: string): bigint => address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const ipv4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((by) => String((value >> by) & 255n)).join('.');

/** The groups of a URL are short and in lower case, without a part in decimal. */
function ipv6Value(address: string): bigint {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  return [...groups(head), ...zeros, ...groups(tail ?? '')].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function ipv6Text(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65_535n).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
