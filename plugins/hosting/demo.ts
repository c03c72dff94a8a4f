/** Name servers of a demo whose operator named none. */
export const DEMO_NAME_SERVERS = ['ns1', 'ns2', 'ns3', 'ns4'].map((name) => `${name}.hosting.example`);
