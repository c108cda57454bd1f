-- The role and the database of the service: it owns this database and may do nothing else on the server. Run by psql as superuser;
-- DATABASE_PASSWORD_FILE names the file with the role's password. The extension it needs (pg_trgm) is a trusted one.
\set password `cat "$DATABASE_PASSWORD_FILE"`
create role countersign login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database countersign owner countersign;
revoke all on database countersign from public;
