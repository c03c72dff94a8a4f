/**
 * TypeBox, for the schemas of routes and configurations: plain JSON Schema, from which static types are derived.
 * Plugins import it from here, so that one folder owns the package.
 */
export { Type } from '@sinclair/typebox';
export type { Static, TObject, TSchema } from '@sinclair/typebox';
