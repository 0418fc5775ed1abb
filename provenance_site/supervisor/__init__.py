"""What `make run` starts and keeps alive on one machine: sample publishers, web server, worker, schedule."""
