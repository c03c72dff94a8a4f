-- The node of a fleet that recorded the event; empty for a node by itself.
alter table events add column node text not null default '';
