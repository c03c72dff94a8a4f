-- The node of a fleet that delivers; see fleet-lead.ts.
create table webhook_lead (
  holder text collate "C" not null,  -- node and process; empty once it has ended
  beat bigint not null  -- counted up while it leads
);
