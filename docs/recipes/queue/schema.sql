-- The queue, and what became of its jobs. Run it once: psql "$DATABASE_URL" -f schema.sql
create table job (
  id bigint generated always as identity primary key,
  question text not null,
  suggestion text not null,
  confidence double precision not null,
  -- Set when the job has been submitted.
  item_id uuid unique,
  -- Why the service refuses the job. Correct the job and set this to null: the job is submitted then.
  refused text
);
create index job_waiting on job (id) where item_id is null and refused is null;

-- One row per item that has ended. Join it with job by item_id.
create table outcome (
  item_id uuid primary key,
  status text not null,
  -- What to use; null unless people approved.
  output json,
  -- Of the decision: 0 without one, 2 and more when it was revised.
  revision integer not null
);

-- How far the events have been read.
create table feed (
  name text primary key,
  next_cursor text
);
insert into feed (name) values ('countersign');
