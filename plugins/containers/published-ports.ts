import type { PortsPart } from '../../kernel/plugin-api/points/ports-part.ts';
import type { Container } from './engine/container.ts';

interface Service {
  readonly member: keyof PortsPart;
  /** Fits the compose service, the container's name or the image (without registry and tag). */
  readonly name: RegExp;
  /** Ports inside the container that such a service listens on, the likeliest first. */
  readonly ports: readonly number[];
  /** Whether the first of them tells the service also where no name does. */
  readonly alone: boolean;
}

/** How a service is recognised: by its name and port, else by a port that is hardly another's. */
const SERVICES: readonly Service[] = [
  { member: 'phpmyadmin_port', name: /phpmyadmin|\bpma\b/, ports: [80, 8080, 443, 8443], alone: false },
  { member: 'remote_mysql_port', name: /mysql|mariadb|percona/, ports: [3306], alone: true },
  { member: 'remote_ssh_port', name: /\bssh|openssh/, ports: [22, 2222], alone: true },
  {
    member: 'webterminal_port',
    name: /web-?terminal|ttyd|wetty|gotty|shellinabox/,
    ports: [7681, 3000, 8080, 4200],
    alone: true,
  },
];

/** Published ports of an account's running containers, by what listens behind them. Of several, the oldest container's. */
export function portsOf(containers: readonly Container[]): PortsPart {
  const byAge = containers.toSorted((a, b) => a.createdSeconds - b.createdSeconds || (a.id < b.id ? -1 : 1));
  const part: PortsPart = {};
  for (const service of SERVICES) {
    const named = byAge.filter((container) => namesOf(container).some((name) => service.name.test(name)));
    const port =
      published(named, service.ports) ?? (service.alone ? published(byAge, service.ports.slice(0, 1)) : undefined);
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
  return [labels.get('com.docker.compose.service') ?? '', program, ...names].map((name) => name.toLowerCase());
}
