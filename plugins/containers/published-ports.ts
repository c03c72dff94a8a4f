import type { PortsPart } from '../../kernel/contract/points/ports-part.ts';
import { readLabel, type Container } from './engine/container.ts';

interface Service {
  readonly member: keyof PortsPart;
  /** Matched against the compose service, the container's names and the image without registry and tag. */
  readonly name: RegExp;
  /** Ports inside the container that such a service listens on, most likely first. */
  readonly ports: readonly number[];
  /** Whether the first port alone identifies the service when no name matches. */
  readonly byPortAlone: boolean;
}

/** A service is recognised by name and port, or by a port that other services rarely use. */
const SERVICES: readonly Service[] = [
  { member: 'phpmyadmin_port', name: /phpmyadmin|\bpma\b/, ports: [80, 8080, 443, 8443], byPortAlone: false },
  { member: 'remote_mysql_port', name: /mysql|mariadb|percona/, ports: [3306], byPortAlone: true },
  { member: 'remote_ssh_port', name: /\bssh|openssh/, ports: [22, 2222], byPortAlone: true },
  {
    member: 'webterminal_port',
    name: /web-?terminal|ttyd|wetty|gotty|shellinabox/,
    ports: [7681, 3000, 8080, 4200],
    byPortAlone: true,
  },
];

/**
 * Returns the published ports of known services in an account's running containers. Of several containers the oldest
 * counts.
 */
export function publishedPorts(containers: readonly Container[]): PortsPart {
  const byAge = containers.toSorted((a, b) => a.createdSeconds - b.createdSeconds || (a.id < b.id ? -1 : 1));
  const part: PortsPart = {};
  for (const service of SERVICES) {
    const named = byAge.filter((container) => namesOf(container).some((name) => service.name.test(name)));
    const port =
      published(named, service.ports) ??
      (service.byPortAlone ? published(byAge, service.ports.slice(0, 1)) : undefined);
    if (port !== undefined) part[service.member] = port;
  }
  return part;
}

function published(containers: readonly Container[], privatePorts: readonly number[]): number | undefined {
  const open = containers
    .flatMap(({ ports }) => ports)
    .filter(({ protocol, publicPort }) => protocol === 'tcp' && publicPort > 0 && publicPort < 65_536);
  for (const wanted of privatePorts) {
    const port = open.find(({ privatePort }) => privatePort === wanted);
    if (port !== undefined) return port.publicPort;
  }
  return undefined;
}

function namesOf({ labels, names, image }: Container): string[] {
  const program = image.split('/').at(-1)?.split(/[:@]/)[0] ?? '';
  return [readLabel(labels, 'com.docker.compose.service') ?? '', program, ...names].map((name) => name.toLowerCase());
}
