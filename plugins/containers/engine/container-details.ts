import type { ContainerDetails } from '../../../kernel/areas/containers.ts';
import { hasUserInfo, isSecretName } from '../../../kernel/kit/secret-text.ts';
import { count, list, members, text, texts } from '../../../kernel/kit/engine/untrusted-json.ts';

const VARIABLES = 500;
const VALUE_LENGTH = 1024;
/** The engine's time of what has never happened. */
const NEVER = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T00:00:00Z');

/** Parses `/containers/<id>/json`. Values that may be secret are left out here, so that they reach no other process. */
export function parseDetails(value: unknown): ContainerDetails {
  const container = members(value);
  const [state, host] = [members(container['State']), members(container['HostConfig'])];
  const time = (name: string) => {
    const at = Date.parse(text(state[name]));
    return at > NEVER && at < LAST ? new Date(at).toISOString() : '';
  };
  const health = text(members(state['Health'])['Status']);
  return {
    startedAt: time('StartedAt'),
    finishedAt: time('FinishedAt'),
    exitCode: count(state['ExitCode']),
    isOutOfMemory: state['OOMKilled'] === true,
    isIsolated: isIsolated(host),
    restarts: count(container['RestartCount']),
    health: health === 'none' ? '' : health,
    memoryBytes: count(host['Memory']),
    processors: count(host['NanoCpus']) / 1e9,
    environment: texts(members(container['Config'])['Env']).slice(0, VARIABLES).map(parseVariable),
  };
}

/** Whether the engine gave a container nothing of the machine; an engine that leaves a member out knows no such thing. */
function isIsolated(host: Readonly<Record<string, unknown>>): boolean {
  const spaces = ['PidMode', 'IpcMode', 'UTSMode', 'UsernsMode', 'NetworkMode'].map((name) => text(host[name]));
  const isForeign = spaces[0] !== '' || spaces.some((mode) => mode === 'host' || mode.startsWith('container:'));
  const more = ['CapAdd', 'Devices', 'DeviceRequests', 'DeviceCgroupRules'].some((name) => list(host[name]).length > 0);
  return host['Privileged'] !== true && !isForeign && !more;
}

function parseVariable(variable: string): { name: string; value: string | null } {
  const [name = ''] = variable.split('=', 1);
  const value = variable.slice(name.length + 1);
  return { name, value: isSecretName(name) || hasUserInfo(value) ? null : value.slice(0, VALUE_LENGTH) };
}
