module provisioning.test/kubernetes/tools

go 1.26.0
