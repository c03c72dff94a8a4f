export const MAINTENANCE_ACTIONS = ['optimize', 'check', 'repair'] as const;
export type MaintenanceAction = (typeof MAINTENANCE_ACTIONS)[number];
