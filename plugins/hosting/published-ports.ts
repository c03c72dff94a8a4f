import type { ListedContainer } from '../../kernel/areas/containers.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Ports } from './schema.ts';

/**
 * Services, recognised by name and port: by the compose service, a name of the container or the image without registry
 * and tag, and by a port inside the container, most likely first. `byPortAlone`: others rarely use the first port, so that
 * it identifies the service without a name.
 */
const SERVICES = [
  { member: 'phpmyadmin_port', name: /phpmyadmin|\bpma\b/, ports: [80, 8080, 443, 8443], byPortAlone: false },
  { member: 'remote_mysql_port', name: /mysql|mariadb|percona/, ports: [3306], byPortAlone: true },
  { member: 'remote_ssh_port', name: /\bssh|openssh/, ports: [22, 2222], byPortAlone: true },
  {
    member: 'webterminal_port',
    name: /web-?terminal|ttyd|wetty|gotty|shellinabox/,
    ports: [7681, 3000, 8080, 4200],
    byPortAlone: true,
  },
] as const;

/**
 * Returns the published ports of known services in an account's running containers; `null` for those that are not there. Of
 * several containers the oldest counts.
 */
export function publishedPorts(containers: readonly ListedContainer[]): Static<typeof Ports> {
  const byAge = containers.toSorted((a, b) => a.createdSeconds - b.createdSeconds || (a.id < b.id ? -1 : 1));
  const portOf = (service: (typeof SERVICES)[number]) => {
    const named = byAge.filter((container) => namesOf(container).some((name) => service.name.test(name)));
    return (
      published(named, service.ports) ?? (service.byPortAlone ? published(byAge, service.ports.slice(0, 1)) : undefined)
    );
  };
  return Object.fromEntries(SERVICES.map((service) => [service.member, portOf(service) ?? null])) as Static<
    typeof Ports
  >;
}

function published(containers: readonly ListedContainer[], privatePorts: readonly number[]): number | undefined {
  const open = containers
    .flatMap(({ ports }) => ports)
    .filter(({ protocol, publicPort }) => protocol === 'tcp' && publicPort > 0 && publicPort < 65_536);
  for (const wanted of privatePorts) {
    const port = open.find(({ privatePort }) => privatePort === wanted);
    if (port !== undefined) return port.publicPort;
  }
  return undefined;
}

function namesOf({ service, names, image }: ListedContainer): string[] {
  const program = image.split('/').at(-1)?.split(/[:@]/)[0] ?? '';
  return [service, program, ...names].map((name) => name.toLowerCase());
}
