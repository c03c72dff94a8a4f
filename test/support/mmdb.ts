/** Writes a database of addresses in MaxMind's format 2.0 (https://maxmind.github.io/MaxMind-DB/), for IPv4. */

type Whole = Uint16Array | Uint32Array | BigUint64Array;
type Value = string | Whole | readonly Value[] | { readonly [name: string]: Value };
/** A place in the tree, by its number, or data; `undefined` where nothing is known. */
type Branch = number | { readonly offset: number } | undefined;

const TYPES = { string: 2, map: 7, array: 11 } as const;
/** The types of whole numbers, by their bytes. */
const WHOLE: Readonly<Record<number, number>> = { 2: 5, 4: 6, 8: 9 };
const RECORD_BITS = 24;

/** Returns a database with some networks, such as `192.0.2.0/24`, none within another. */
export function addressDatabase(type: string, networks: Readonly<Record<string, Value>>): Buffer {
  const nodes: [Branch, Branch][] = [[undefined, undefined]];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [network, value] of Object.entries(networks)) {
    const [address = '', length = ''] = network.split('/');
    const bits = address.split('.').flatMap((byte) => [...Number(byte).toString(2).padStart(8, '0')].map(Number));
    let at = 0;
    for (const [depth, bit] of bits.slice(0, Number(length)).entries()) {
      const node = nodes[at] as [Branch, Branch];
      if (depth === Number(length) - 1) node[bit as 0 | 1] = { offset };
      else at = (node[bit as 0 | 1] ??= nodes.push([undefined, undefined]) - 1) as number;
    }
    offset += data[data.push(encode(value)) - 1]?.length ?? 0;
  }
  const record = (branch: Branch): number =>
    branch === undefined ? nodes.length : typeof branch === 'number' ? branch : nodes.length + 16 + branch.offset;
  const tree = Buffer.alloc((nodes.length * 2 * RECORD_BITS) / 8);
  for (const [i, branch] of nodes.flat().entries()) tree.writeUIntBE(record(branch), (i * RECORD_BITS) / 8, 3);
  const metadata = {
    ...{ binary_format_major_version: Uint16Array.of(2), binary_format_minor_version: Uint16Array.of(0) },
    ...{ build_epoch: BigUint64Array.of(1_700_000_000n), ip_version: Uint16Array.of(4) },
    ...{ database_type: type, description: { en: 'for a test' }, languages: ['en'] },
    ...{ node_count: Uint32Array.of(nodes.length), record_size: Uint16Array.of(RECORD_BITS) },
  };
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encode(metadata)]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([head(TYPES.string, Buffer.byteLength(value)), Buffer.from(value)]);
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(new Uint8Array(value.buffer).toReversed()); // this machine has the smallest byte first
    return Buffer.concat([head(WHOLE[bytes.length] ?? 0, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([head(TYPES.array, value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([head(TYPES.map, members.length), ...members.flat().map((each: Value) => encode(each))]);
}

/** Returns the control bytes of a value that has fewer than 285 bytes or items. */
function head(type: number, size: number): Buffer {
  const [first, more] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from(type > 7 ? [first, type - 7, ...more] : [(type << 5) | first, ...more]);
}
